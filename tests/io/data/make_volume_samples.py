#!/usr/bin/python3
"""Makes the volume meshes volume_* in this folder with Gmsh, TetGen, Netgen, meshio and VTK (Debian 12 packages gmsh,
tetgen, netgen, python3-meshio, python3-vtk9)."""

import os
import shutil
import subprocess
import tempfile

import meshio
import numpy
import vtk

here = os.path.dirname(os.path.abspath(__file__))
os.chdir(here)


def run(*command, **options):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **options)


def with_gmsh():
    for geometry, suffix in (("box.geo", ""), ("bricks.geo", "_bricks")):
        run("gmsh", "-3", geometry, "-format", "mesh", "-o", f"volume_gmsh{suffix}.mesh")
        run("gmsh", "-3", geometry, "-format", "vtk", "-o", f"volume_gmsh{suffix}.vtk")
    run("gmsh", "-3", "box.geo", "-format", "vtk", "-bin", "-o", "volume_gmsh_binary.vtk")


def with_tetgen():
    with tempfile.TemporaryDirectory() as folder:
        for switches, name, endings in (
            ("-pqAQ", "volume_tetgen", ("node", "ele")),
            ("-pqAgkQz", "volume_tetgen_zero", ("node", "ele", "mesh", "vtk")),
            ("-pqAQo2", "volume_tetgen_order2", ("node", "ele")),
        ):
            shutil.copy("cubes.poly", folder)
            run("tetgen", switches, "cubes.poly", cwd=folder)
            for ending in endings:
                shutil.copy(f"{folder}/cubes.1.{ending}", f"{name}.{ending}")


def with_netgen():
    with tempfile.TemporaryDirectory() as folder:
        # Debian's netgen looks for its library under a name that only the development package has.
        libraries = "/usr/lib/x86_64-linux-gnu/netgen"
        os.symlink(f"{libraries}/libgui.so.6.2", f"{folder}/libgui.so")
        run("netgen", "-batchmode", "-verycoarse", f"-geofile={here}/cube_netgen.geo",
            f"-meshfile={here}/volume_netgen.msh", "-meshfiletype=Gmsh2 Format", cwd=folder,
            env={**os.environ, "LD_LIBRARY_PATH": f"{folder}:{libraries}"})


def with_meshio():
    mesh = meshio.read("volume_gmsh.vtk")
    tags = [data.ravel() for data in mesh.cell_data["CellEntityIds"]]
    mesh.cell_data = {"medit:ref": tags}
    mesh.write("volume_meshio.mesh")
    mesh.write("volume_meshio.meshb")
    tetrahedra = numpy.vstack([block.data for block in mesh.cells if block.type == "tetra"])
    regions = numpy.concatenate([t for t, block in zip(tags, mesh.cells) if block.type == "tetra"])
    # meshio 5.0 refuses TetGen files of several blocks.
    meshio.write("volume_meshio.node", meshio.Mesh(mesh.points, [("tetra", tetrahedra)],
                                                   cell_data={"tetgen:ref": [regions]}))
    bricks = meshio.read("volume_gmsh_bricks.vtk")
    bricks.cell_data = {}
    bricks.write("volume_meshio_bricks.meshb")
    mesh = meshio.read("box_41.msh")
    mesh.point_data = {}
    mesh.write("volume_meshio.vtk", file_format="vtk42", binary=False)
    mesh.write("volume_meshio_binary.vtk", file_format="vtk42", binary=True)
    mesh.write("volume_meshio_ascii.vtu", binary=False)
    mesh.write("volume_meshio_binary.vtu", binary=True, compression=None)
    mesh.write("volume_meshio_zlib.vtu", binary=True, compression="zlib")


def vtk_grid():
    reader = vtk.vtkUnstructuredGridReader()
    reader.SetFileName("volume_gmsh.vtk")
    reader.ReadAllScalarsOn()
    reader.Update()
    grid = reader.GetOutput()
    # What a reader has to pass over: strings and point data.
    names = vtk.vtkStringArray()
    names.SetName("notes")
    names.InsertNextValue("two words")
    names.InsertNextValue("x" * 70)
    grid.GetFieldData().AddArray(names)
    heights = vtk.vtkFloatArray()
    heights.SetName("height")
    for i in range(grid.GetNumberOfPoints()):
        heights.InsertNextValue(grid.GetPoint(i)[2])
    grid.GetPointData().SetScalars(heights)
    return grid


def with_vtk():
    grid = vtk_grid()
    for name, binary, version in (("42", False, 42), ("42_binary", True, 42), ("51", False, 51), ("51_binary", True, 51)):
        writer = vtk.vtkUnstructuredGridWriter()
        writer.SetFileName(f"volume_vtk_{name}.vtk")
        writer.SetInputData(grid)
        writer.SetFileVersion(version)
        writer.SetFileTypeToBinary() if binary else writer.SetFileTypeToASCII()
        writer.Write()
    for name, mode, encoded, compressor, header, order in (
        ("ascii", "Ascii", False, "None", 64, "Little"),
        ("binary", "Binary", False, "None", 64, "Little"),
        ("binary_zlib_32", "Binary", False, "ZLib", 32, "Little"),
        ("raw", "Appended", False, "None", 64, "Little"),
        ("raw_zlib_32", "Appended", False, "ZLib", 32, "Little"),
        ("raw_big_32", "Appended", False, "None", 32, "Big"),
        ("base64", "Appended", True, "None", 64, "Little"),
        ("base64_zlib_big", "Appended", True, "ZLib", 64, "Big"),
        ("raw_lz4", "Appended", False, "LZ4", 64, "Little"),
    ):
        writer = vtk.vtkXMLUnstructuredGridWriter()
        writer.SetFileName(f"volume_vtk_{name}.vtu")
        writer.SetInputData(grid)
        getattr(writer, f"SetDataModeTo{mode}")()
        writer.SetEncodeAppendedData(encoded)
        getattr(writer, f"SetCompressorTypeTo{compressor}")()
        getattr(writer, f"SetHeaderTypeToUInt{header}")()
        getattr(writer, f"SetByteOrderTo{order}Endian")()
        writer.SetBlockSize(1024)  # several blocks in an array
        writer.Write()


with_gmsh()
with_tetgen()
with_netgen()
with_meshio()
with_vtk()

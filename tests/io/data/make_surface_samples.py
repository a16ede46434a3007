#!/usr/bin/python3
"""Makes the surface files of other programs in this folder: Gmsh 4.8, meshio 5.0 and VTK 9.1 (python3-vtk9).

Those of meshio and VTK are unit cubes (area 6, volume 1), those of Gmsh the faces of box.geo (area 11), and the glTF
files a unit cube and one that is twice as long in x, turned and moved: area 16, volume 3.
"""
import json
import os
import subprocess

import meshio
import numpy
import vtk


def run_gmsh():
    command = ["gmsh", "-2", "box.geo", "-setnumber", "Mesh.SaveAll", "1", "-format", "stl"]
    subprocess.check_call(command + ["-setnumber", "Mesh.StlOneSolidPerSurface", "1", "-o", "gmsh_solids.stl"])
    subprocess.check_call(command + ["-bin", "-o", "gmsh_binary.stl"])


def run_meshio():
    corners = numpy.array([[x, y, z] for z in (0.0, 1.0) for y in (0.0, 1.0) for x in (0.0, 1.0)])
    quads = numpy.array(
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]], dtype=numpy.int32
    )
    triangles = numpy.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    boxes = meshio.Mesh(corners, [("quad", quads)])
    halves = meshio.Mesh(corners, [("triangle", triangles)])
    meshio.write("meshio_quads.obj", boxes)
    meshio.write("meshio_quads.ply", boxes, binary=False)
    meshio.write("meshio_ascii.ply", halves, binary=False)
    meshio.write("meshio_binary.ply", halves)
    meshio.write("meshio_ascii.stl", halves)
    meshio.write("meshio_binary.stl", halves, binary=True)
    meshio.write("meshio.off", halves)


def run_vtk():
    cube = vtk.vtkCubeSource()
    triangles = vtk.vtkTriangleFilter()
    triangles.SetInputConnection(cube.GetOutputPort())

    def write(writer, name, source, *settings):
        writer.SetInputConnection(source.GetOutputPort())
        writer.SetFileName(name)
        for setting in settings:
            getattr(writer, setting)()
        writer.Write()

    write(vtk.vtkSTLWriter(), "vtk_ascii.stl", triangles, "SetFileTypeToASCII")
    write(vtk.vtkSTLWriter(), "vtk_binary.stl", triangles, "SetFileTypeToBinary")
    write(vtk.vtkPLYWriter(), "vtk_ascii.ply", cube, "SetFileTypeToASCII")
    write(vtk.vtkPLYWriter(), "vtk_binary.ply", cube, "SetFileTypeToBinary")
    write(vtk.vtkPLYWriter(), "vtk_big_endian.ply", cube, "SetFileTypeToBinary", "SetDataByteOrderToBigEndian")
    write(vtk.vtkOBJWriter(), "vtk.obj", cube)

    renderer = vtk.vtkRenderer()
    for place in range(2):
        mapper = vtk.vtkPolyDataMapper()
        mapper.SetInputConnection(cube.GetOutputPort())
        actor = vtk.vtkActor()
        actor.SetMapper(mapper)
        actor.SetPosition(3 * place, 0, 0)
        actor.RotateZ(30 * place)
        actor.SetScale(1 + place, 1, 1)
        renderer.AddActor(actor)
    window = vtk.vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.AddRenderer(renderer)
    for name, inline in (("vtk_inline.gltf", True), ("vtk_external.gltf", False)):
        exporter = vtk.vtkGLTFExporter()
        exporter.SetRenderWindow(window)
        exporter.SetFileName(name)
        exporter.SetInlineData(inline)
        exporter.Write()
    rename_buffers("vtk_external.gltf")


def rename_buffers(name):
    """VTK gives buffers random names; equal ones share a file."""
    with open(name) as file:
        document = json.load(file)
    names = {}
    for buffer in document["buffers"]:
        old_name = buffer["uri"]
        if old_name not in names:
            names[old_name] = f"vtk_external_{len(names)}.bin"
            os.replace(old_name, names[old_name])
        buffer["uri"] = names[old_name]
    with open(name, "w") as file:
        json.dump(document, file, indent=1)


run_gmsh()
run_meshio()
run_vtk()

// Two boxes side by side, each a physical group; the surface between them is meshed once.
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 1, 1};
Box(2) = {1, 0, 0, 1, 1, 1};
BooleanFragments{ Volume{1}; Delete; }{ Volume{2}; Delete; }
Physical Volume("soft core", 7) = {1};
Physical Volume("shell", 3) = {2};
Physical Surface("left", 11) = {1};
Mesh.MeshSizeMin = 2; Mesh.MeshSizeMax = 2;

// A transfinite box of 3 x 2 x 1 bricks without physical groups.
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 3, 1, 0.5};
Transfinite Curve {9, 10, 11, 12} = 4;
Transfinite Curve {2, 4, 6, 8} = 3;
Transfinite Curve {1, 3, 5, 7} = 2;
Transfinite Surface "*"; Recombine Surface "*"; Transfinite Volume "*";

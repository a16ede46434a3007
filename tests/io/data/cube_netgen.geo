algebraic3d
solid a = orthobrick (0, 0, 0; 1, 1, 1);
tlo a;

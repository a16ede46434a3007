#include "consume.hpp"

int main(int, char** argument) { return consume(argument[1], argument[2]); }

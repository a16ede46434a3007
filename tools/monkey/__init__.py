"""What tools/monkey.py is made of: random cases for the command limber, and the rules by which they are judged.

process            runs one command under limits
files              what is in a folder, before and after
rules              what every run must keep to, whatever it was asked
results            what is in the files that a run wrote
meshes, surfaces   in every format, good and odd
damage             files that are broken
options            the options of each command, with good and bad values
scenes             random scenes, and changes of scenes
case               what a case is, and what many cases start from
*_cases, cases     what is tried, and how often
judge              runs a case, twice where its bits shall be the same, and says what it found
"""

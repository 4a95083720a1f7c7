"""What the end-to-end tests share: the program under test, control groups, terminals, /proc."""

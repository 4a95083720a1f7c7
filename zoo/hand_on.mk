# make starts a shell, and the shell starts the program, which is one of two commands.
all:
	@echo training; $(PYTHON) $(PROGRAM)

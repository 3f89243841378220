// An agent that exits at once with an error.
process.stderr.write('Error: no such model\n')
process.exitCode = 3

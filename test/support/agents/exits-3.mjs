// An agent that dies at once.
process.stderr.write('Error: no such model\n')
process.exitCode = 3

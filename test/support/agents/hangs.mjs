// An agent that starts and never ends.
process.stdout.write(`${JSON.stringify({ type: 'answer', text: 'I am thinking' })}\n`)
process.stderr.write('waiting for the server\n')
setInterval(() => undefined, 1000)

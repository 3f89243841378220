// An agent that ignores SIGTERM.
process.on('SIGTERM', () => process.stderr.write('no\n'))
process.stdout.write(`${JSON.stringify({ type: 'answer', text: 'I stay' })}\n`)
setInterval(() => undefined, 1000)

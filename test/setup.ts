import fc from 'fast-check'

// The same cases every time, so that a red run is red again; FAST_CHECK_SEED looks for others.
fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? 20_260_601) })

import type { Assignment } from './conventions.js'

/**
 * How this house really works. Read by the task generator and by tests, never by the simulated models: what they know of
 * it they must find in their prompts.
 */
export const truth: Assignment = {
  'volumetric-divisor': '4000',
  'weight-rounding': 'up-0.50',
  'fuel-base': 'list',
  'money-rounding': 'up-0.10',
  'money-format': 'amount EUR',
  'remote-surcharge': 'flat-6',
  'insurance-rate': '1.5',
  'booking-cutoff': '15:00',
  'first-day': 'next',
  saturday: 'works',
}

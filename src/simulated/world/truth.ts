import type { Assignment } from './conventions.js'

/**
 * The conventions of the simulated company. Only the task generator and tests read them; the simulated models
 * must infer them from their prompts.
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

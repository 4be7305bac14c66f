/**
 * The questions that the table of replies is about. Some have labels that invite a wrong reading: numbers, ordinals, commas.
 */
import { choices } from '../../../../src/answers/choices.js';
import { choice, confirm } from '../../../../src/index.js';

const deployments = [
  { id: 'canary', label: 'Canary' },
  { id: 'all', label: 'All servers' },
  { id: 'hold', label: 'Hold back' },
] as const;

export const questions = {
  size: choice('Which size?', [
    { id: 's', label: 'Small' },
    { id: 'm', label: 'Medium' },
    { id: 'l', label: 'Large' },
  ]),
  region: choice('Where?', ['North', 'South', 'Northeast', 'Yesterday Island', 'Canada', 'Waiting room', 'January']),
  deploy: choice('Roll out to?', deployments),
  amount: choice('How much?', ['10', '20', '30', '100']),
  tickets: choice('How many?', ['2 tickets', '4 tickets', '10 tickets']),
  slot: choice('When?', ['10:00', '11:30', '14:00', '2 pm']),
  travel: choice('Which class?', ['Second class', 'First class', 'Last minute']),
  weeks: choice('How long?', ['Two weeks', 'One week', 'Three weeks']),
  budget: choice('Which budget?', ['100 EUR', '1000 EUR', '25 EUR']),
  colour: choice('Which colour?', ['Red', 'Blue'], { other: 'Another one' }),
  delivery: choice('How?', ['Standard delivery (3-5 days)', 'Express delivery (next day)', 'Refund (not now)']),
  meal: choice('What to eat?', ['Fish and chips', 'Soup', 'Salad, mixed', 'Do not disturb']),
  extras: choices('Which extras?', ['small', 'medium', 'large', 'Fish and chips', 'Salt, pepper']),
  upTo2: choices('Which two at most?', ['cheese', 'olives', 'basil'], { min: 0, max: 2 }),
  spices: choices('Which?', ['salt', 'pepper', 'salt and pepper', 'sugar']),
  sure: confirm('Delete it?'),
  refund: confirm('Refund the order?', { yes: 'Refund', no: 'Keep the money' }),
  stop: confirm('Stop all mails?', { yes: 'Never write again', no: 'Go on' }),
  groesse: choice('Welche Größe?', ['Klein', 'Mittel', 'Groß']),
  taille: choice('Quelle taille ?', ['Petit', 'Moyen', 'Grand']),
  tamano: choice('¿Qué tamaño?', ['Pequeño', 'Mediano', 'Grande']),
  zutaten: choices('Welche Zutaten?', ['Käse', 'Oliven', 'Basilikum']),
};

// The section that records pulls for `limber reduce --sketch`.

import { formatCount } from '../settings_text';
import { shellWord } from '../shell_word';
import { makeButton, makeReadout, makeSection } from './controls';
import { make, setText } from './dom';
import { makeIcon } from './icons';
import type { Actions, Part } from './state';

const ABOUT =
  'Pull the body as it will be pulled later: each pull is recorded on the linear model, and the recorded forces shape a better basis.';

/** The name of the file that a sketch of a model is saved as. */
export function sketchFileName(name: string): string {
  return `${name}.sketch.json`;
}

/** The command that makes a model from a sketch of the model `name`. */
export function sketchCommand(name: string): string {
  const model = shellWord(`${name || 'model'}-2.glb`);
  return `limber reduce MESH --sketch ${shellWord(sketchFileName(name))} -o ${model}`;
}

/** s of a static solution of a force, per element of the mesh: 2.6 s for 27,570 on one busy core. */
const SOLUTION_SECONDS = 1e-4;

/** How long that command takes at most: forces that are near others are not solved. Empty where that is not known. */
export function sketchTime(forces: number, elements: number): string {
  const seconds = SOLUTION_SECONDS * forces * elements;
  if (seconds === 0) return '';
  return seconds < 90
    ? `at most about ${Math.ceil(seconds)} s`
    : `at most about ${Math.ceil(seconds / 60)} min`;
}

export function makeSketchSection(actions: Actions): Part {
  let recording = false;
  const record = makeButton({
    id: 'sketch-record',
    text: 'Start',
    icon: makeIcon('record'),
    title: 'Record pulls (K)',
    kind: 'primary',
    click: () => {
      actions.record(!recording);
    },
  });
  const save = makeButton({
    id: 'sketch-save',
    text: 'Save',
    click: () => {
      actions.saveSketch();
    },
  });
  const discard = makeButton({
    id: 'sketch-discard',
    text: 'Discard',
    click: () => {
      actions.discardSketch();
    },
  });
  const count = makeReadout('sketch-count', 'Recorded forces');
  const command = make('code', { 'data-testid': 'sketch-command' });
  const time = make('span', { 'data-testid': 'sketch-time' });
  const then = make('p', { class: 'hint' }, 'Then run: ', command, time);
  const buttons = make('div', { class: 'buttons' }, record, save, discard);
  const hint = make('p', { class: 'hint' }, ABOUT);
  return {
    element: makeSection('sketch', 'Sketch', true, hint, buttons, count.element, then),
    update({ name, info, sketch }) {
      if (sketch.recording !== recording) {
        recording = sketch.recording;
        setText(record.lastElementChild!, recording ? 'Stop' : 'Start');
        record.replaceChild(makeIcon(recording ? 'stop' : 'record'), record.firstElementChild!);
        record.classList.toggle('recording', recording);
      }
      record.disabled = info === null;
      save.disabled = discard.disabled = sketch.count === 0;
      count.set(formatCount(sketch.count));
      setText(command, sketchCommand(name));
      const takes = sketchTime(sketch.count, info?.elementCount ?? 0);
      setText(time, takes === '' ? '' : ` (${takes})`);
    },
  };
}

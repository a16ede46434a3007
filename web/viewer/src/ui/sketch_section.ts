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
  const then = make('p', { class: 'hint' }, 'Then run: ', command);
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
    },
  };
}

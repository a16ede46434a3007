// The page: puts its parts together and hands them what they need.

import { makeBodiesSection } from './bodies_section';
import {
  makeModelSection,
  makeMaterialSection,
  makeShowSection,
  makeVibrationsSection,
} from './body_sections';
import { type ClipBarPart, makeClipBar } from './clip_bar';
import { makeContactSection } from './contact_section';
import { makeButton } from './controls';
import { byId, make, recall, remember, setText } from './dom';
import { makeDomainsSection, type DomainsPart } from './domains_section';
import { makeHandlesSection } from './handles_section';
import { makeHelp, type Help } from './help';
import { makeIcon } from './icons';
import { Messages } from './messages';
import {
  makeDampingSection,
  makeGravitySection,
  makePullSection,
  makeSolverSection,
} from './motion_sections';
import { PanelInput } from './panel_input';
import { makePlotsSection, type PlotsPart } from './plots_section';
import { makeShakeSection } from './shake_section';
import { makeSketchSection } from './sketch_section';
import { type Actions, hasDomains, type Part, playingText, type ViewState } from './state';
import type { ThemeName } from './theme';
import { makeTopBar, type TopBar } from './top_bar';
import { makeTransport, type TransportPart } from './transport';

/** As in layout.css: narrower ones have the panel below. */
const NARROW = '(max-width: 719px)';

export interface PageActions {
  /** add: to the bodies that are shown, else in their place. */
  readonly openFiles: (files: readonly File[], add: boolean) => void;
  readonly frame: () => void;
  readonly toggleTheme: () => void;
}

/** What the bodies are drawn on. */
export function stageCanvas(): HTMLCanvasElement {
  const canvas = byId('stage') as HTMLCanvasElement;
  canvas.setAttribute('role', 'application'); // it takes keys of its own, which its label names
  return canvas;
}

function makeEmptyPage(choose: () => void): HTMLElement {
  const button = makeButton({ id: 'choose', text: 'Choose a file', kind: 'primary', click: choose });
  return make(
    'section',
    { id: 'empty', 'data-testid': 'empty' },
    make(
      'div',
      { class: 'drop-zone' },
      makeIcon('open'),
      make('h2', {}, 'Drop a reduced model or a clip (.glb) here, or choose a file'),
      button,
      make('p', {}, 'To make one: ', make('code', {}, 'limber reduce mesh.obj -o model.glb')),
    ),
  );
}

/** A label over the picture, with a button, while the body shows a vibration in place of a simulation. */
function makePlayingLabel(actions: Actions): Part {
  const text = make('span', { 'data-testid': 'playing' });
  const stop = makeButton({
    id: 'playing-stop',
    text: 'Stop',
    title: 'Back to the simulation',
    click: () => {
      actions.setMode({ playing: null });
    },
  });
  const element = make('div', { id: 'playing', role: 'status' }, text, stop);
  return {
    element,
    update({ mode, frequencies, name, bodies }) {
      element.hidden = mode.playing === null;
      if (mode.playing !== null)
        setText(text, playingText(mode.playing, frequencies, bodies.length > 1 ? name : null));
    },
  };
}

export class PageView {
  readonly canvas = stageCanvas();
  readonly messages = new Messages();
  readonly help: Help = makeHelp();
  readonly plots: PlotsPart = makePlotsSection();
  readonly domains: DomainsPart;
  readonly transport: TransportPart;
  readonly clipBar: ClipBarPart;
  private readonly bar_: TopBar;
  private readonly parts_: readonly Part[];
  /** Sections that several domains have no use for. */
  private readonly bodyParts_: readonly Part[];
  private readonly shake_: Part;
  private readonly openingText_ = make('p', { 'data-testid': 'opening' });
  private readonly opening_ = make(
    'div',
    { id: 'opening', role: 'status', hidden: true },
    this.openingText_,
    make('div', { class: 'bar' }),
  );
  private readonly fileInput_ = make('input', {
    type: 'file',
    accept: '.glb',
    multiple: true,
    hidden: true,
    'data-testid': 'file',
  });
  private readonly app_ = byId('app');
  private readonly input_ = new PanelInput(byId('panel'), window);
  /** Whether the files that are chosen are added to those that are shown. */
  private adding_ = false;

  constructor(actions: Actions, page: PageActions) {
    const choose = (): void => {
      this.chooseFile(false);
    };
    const add = (): void => {
      this.chooseFile(true);
    };
    this.bar_ = makeTopBar({
      open: choose,
      add,
      toggleTheme: page.toggleTheme,
      toggleHelp: () => {
        this.help.toggle();
      },
      togglePanel: () => {
        this.togglePanel();
      },
    });
    this.transport = makeTransport(actions, page.frame);
    this.clipBar = makeClipBar(actions, page.frame);
    this.domains = makeDomainsSection(actions);
    const handles = makeHandlesSection(actions);
    const material = makeMaterialSection(actions);
    this.shake_ = makeShakeSection(actions);
    const later = [makeVibrationsSection(actions), makeShowSection(actions), makeSketchSection(actions)];
    this.bodyParts_ = [handles, material, ...later];
    const sections = [
      makeBodiesSection(actions, add),
      makePullSection(actions),
      this.domains,
      handles,
      makeGravitySection(actions),
      makeContactSection(actions),
      this.shake_,
      material,
      this.plots,
      ...later,
      makeDampingSection(actions),
      makeSolverSection(actions),
      makeModelSection(),
    ];
    const playing = makePlayingLabel(actions);
    this.parts_ = [this.bar_, this.transport, this.clipBar, playing, ...sections];
    byId('bar').replaceWith(this.bar_.element);
    byId('panel').append(...sections.map((section) => section.element));
    const stageBox = make('div', { id: 'stage-box' });
    byId('boot').remove();
    byId('view').append(stageBox, this.transport.element, this.clipBar.element);
    stageBox.append(
      this.canvas,
      makeEmptyPage(choose),
      this.opening_,
      playing.element,
      this.messages.element,
    );
    document.body.append(make('div', { id: 'drop-veil' }, 'Drop to add'), this.help.element, this.fileInput_);
    this.fileInput_.addEventListener('change', () => {
      const files = [...(this.fileInput_.files ?? [])];
      this.fileInput_.value = ''; // so that the same file can be opened again
      page.openFiles(files, this.adding_);
    });
    this.showPanel_(recall('panel') === null ? !matchMedia(NARROW).matches : recall('panel') === 'shown');
  }

  update(state: ViewState): void {
    this.app_.classList.toggle('empty', state.info === null && state.clip === null);
    this.app_.classList.toggle('clip', state.clip !== null);
    this.canvas.classList.toggle('adding', state.handles.adding !== 'no');
    const several = hasDomains(state.info);
    this.domains.element.hidden = !several;
    for (const part of this.bodyParts_) part.element.hidden = several;
    this.shake_.element.hidden = state.info?.free === true;
    for (const part of this.parts_) part.update(state);
  }

  /** What is on its way, so that nobody is asked for a file meanwhile; null: nothing. */
  showOpening(text: string | null): void {
    this.app_.classList.toggle('opening', text !== null);
    this.opening_.hidden = text === null;
    setText(this.openingText_, text ?? '');
  }

  /** Whether a pointer holds a slider of the panel. */
  get sliding(): boolean {
    return this.input_.sliding;
  }

  /** A value that is being typed in the panel is taken, for the body that it was meant for. */
  finishInput(): void {
    this.input_.finish();
  }

  showTheme(theme: ThemeName): void {
    this.bar_.showTheme(theme);
    this.plots.restyle();
  }

  /** add: to the bodies that are shown, else in their place. */
  chooseFile(add: boolean): void {
    this.adding_ = add;
    this.fileInput_.click();
  }

  togglePanel(): void {
    const shown = this.app_.classList.contains('panel-hidden');
    this.showPanel_(shown);
    remember('panel', shown ? 'shown' : 'hidden');
  }

  private showPanel_(shown: boolean): void {
    this.app_.classList.toggle('panel-hidden', !shown);
    this.bar_.showPanel(shown);
  }
}

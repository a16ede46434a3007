import type { Body } from '../../runtime/src/index';

/** What the simulation needs of a body of the runtime, whose functions throw LimberError and leave the body as it was then. */
export interface RuntimeBody extends Pick<
  Body,
  | 'info'
  | 'root'
  | 'state'
  | 'energy'
  | 'momentum'
  | 'surface'
  | 'simulationMesh'
  | 'reach'
  | 'rank'
  | 'setRank'
  | 'setMaterial'
  | 'setDamping'
  | 'setGravity'
  | 'setSupport'
  | 'setStiffness'
  | 'stiffness'
  | 'setInertia'
  | 'method'
  | 'setMethod'
  | 'step'
  | 'reset'
  | 'setState'
  | 'save'
  | 'restore'
  | 'coordinates'
  | 'positions'
  | 'position'
  | 'orientation'
  | 'setSprings'
  | 'springForce'
  | 'stiffnessAt'
  | 'setHandles'
  | 'handleReport'
  | 'pick'
  | 'frequencies'
  | 'modeShape'
  | 'dispose'
> {
  /** Another body of the same model, as this one is now. */
  copy(): RuntimeBody;
}

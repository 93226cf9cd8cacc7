// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import io.meshtransport.verbs.VerbsException;

/** A thing made on an opened device. */
abstract class DeviceObject extends NativeObject {
  private final NativeDevice device;

  DeviceObject(long pointer, String kind, NativeDevice device, NativeObject... parents) {
    super(pointer, kind + " of " + device.name(), parents);
    this.device = device;
  }

  final NativeDevice device() {
    return device;
  }

  final ExportedVerbs exported() {
    return device.exported();
  }

  final InlineVerbs inline() {
    return device.inline();
  }

  /** Compares what was just made with {@link Layout}. */
  abstract void checkLayout(LayoutCheck layout) throws VerbsException;

  /** A thing that was just made, unless its layout is foreign; then it is closed. */
  static <T extends DeviceObject> T checked(T made) throws VerbsException {
    try {
      made.checkLayout(made.device().library().layout());
      return made;
    } catch (VerbsException e) {
      try {
        made.close();
      } catch (VerbsException stuck) {
        e.addSuppressed(stuck);
      }
      throw e;
    }
  }

  @Override
  public String toString() {
    return description();
  }
}

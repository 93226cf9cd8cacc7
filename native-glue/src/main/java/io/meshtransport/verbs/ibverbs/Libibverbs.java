// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import com.sun.jna.NativeLibrary;
import io.meshtransport.nic.GidTableSource;

/**
 * A loaded libibverbs: what it exports, and the bindings of its drivers' inline verbs. Any thread.
 * Never unloaded.
 */
final class Libibverbs {
  /** The name the dynamic linker knows without the development package (man 8 ldconfig). */
  static final String NAME = "libibverbs.so.1";

  private final String name;
  private final ExportedVerbs exported;
  private final InlineBindings inline;
  private final LayoutCheck layout;
  private final GidRows gidRows;
  private final OptionalVerbs newer;

  private Libibverbs(String name, ExportedVerbs exported) {
    this.name = name;
    this.layout = new LayoutCheck(LoadedFile.of(name));
    this.exported = exported;
    this.inline = new InlineBindings(name);
    this.gidRows = gidRows(name);
    this.newer = OptionalVerbs.of(name);
  }

  /**
   * @throws UnsatisfiedLinkError if there is no such library, or it lacks a function
   */
  static Libibverbs load(String name) {
    return new Libibverbs(
        name,
        DirectBinding.bind(
            ExportedVerbs.class, ExportedVerbs.Bound.class, NativeLibrary.getInstance(name)));
  }

  private static GidRows gidRows(String name) {
    try {
      return new NativeGidTable(
          DirectBinding.bind(
              GidTableVerb.class, GidTableVerb.Bound.class, NativeLibrary.getInstance(name)));
    } catch (UnsatisfiedLinkError e) {
      // A library from before rdma-core 32.
      return new SysfsGidRows(GidTableSource.ofSysfs());
    }
  }

  String name() {
    return name;
  }

  ExportedVerbs exported() {
    return exported;
  }

  LayoutCheck layout() {
    return layout;
  }

  GidRows gidRows() {
    return gidRows;
  }

  /** What a library of that age may lack. */
  OptionalVerbs newer() {
    return newer;
  }

  /** The data path of an opened device. */
  InlineVerbs inlineVerbs(long context) {
    return inline.of(context);
  }
}

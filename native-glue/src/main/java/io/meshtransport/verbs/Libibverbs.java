package io.meshtransport.verbs;

import com.sun.jna.NativeLibrary;

/**
 * A loaded libibverbs: what it exports, and the bindings of its drivers' inline verbs. Any thread;
 * kept for good.
 */
final class Libibverbs {
  /** The name the dynamic linker knows without the development package (man 8 ldconfig). */
  static final String NAME = "libibverbs.so.1";

  private final String name;
  private final ExportedVerbs exported;
  private final InlineBindings inline;
  private final NativeGidTable gidTable;

  private Libibverbs(String name, ExportedVerbs exported) {
    this.name = name;
    this.exported = exported;
    this.inline = new InlineBindings(name);
    this.gidTable =
        new NativeGidTable(
            DirectBinding.bind(
                GidTableVerb.class, GidTableVerb.Bound.class, NativeLibrary.getInstance(name)));
  }

  /** The one of this process, loaded on first use. */
  static Libibverbs ofThisHost() {
    return OfThisHost.LIBRARY;
  }

  private static final class OfThisHost {
    static final Libibverbs LIBRARY = load(NAME);
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

  String name() {
    return name;
  }

  ExportedVerbs exported() {
    return exported;
  }

  NativeGidTable gidTable() {
    return gidTable;
  }

  /** The data path of an opened device. */
  InlineVerbs inlineVerbs(long context) {
    return inline.of(context);
  }
}

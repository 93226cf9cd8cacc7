// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import com.sun.jna.Library;
import com.sun.jna.NativeLibrary;
import com.sun.jna.SymbolProvider;
import java.util.Map;

/**
 * Binds {@link InlineVerbs} to the functions of one driver by JNA's direct mapping, about 0.1 us a
 * call. On Java 22 and newer another class of this name replaces it, which the jar has under
 * META-INF/versions/22 and which calls through java.lang.foreign.
 */
final class InlineBinding {
  private InlineBinding() {}

  /**
   * Makes a binding, which is never released. Any thread.
   *
   * @param library the name the drivers' own library was loaded by
   * @param addresses of functions, by the names that {@link InlineVerbs} gives them
   */
  static InlineVerbs of(String library, Map<String, Long> addresses) {
    SymbolProvider provider = (handle, name, parent) -> addresses.get(name);
    return DirectBinding.bind(
        InlineVerbs.class,
        InlineVerbs.Bound.class,
        NativeLibrary.getInstance(library, Map.of(Library.OPTION_SYMBOL_PROVIDER, provider)));
  }

  /**
   * How calls of the data path leave Java, as text. Not a constant, which the compiler would copy.
   */
  static String way() {
    return "JNA";
  }
}

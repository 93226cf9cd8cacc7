// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup.ClassOption;

/**
 * Binds native methods to functions by JNA's direct mapping, about 0.1 us a call. Such a class
 * binds once and for all, but two libraries, or two adapters in one process, need a binding each:
 * so every binding is a copy of the class, hidden from all others.
 */
final class DirectBinding {
  private DirectBinding() {}

  /**
   * A copy of a class, bound to the functions of a library that are named like its native methods.
   *
   * @param api how callers see the copy
   * @param template implements it with native methods
   * @throws UnsatisfiedLinkError if the library lacks one of the functions
   */
  static <T> T bind(Class<T> api, Class<? extends T> template, NativeLibrary library) {
    try {
      Class<?> copy =
          MethodHandles.lookup()
              .defineHiddenClass(code(template), true, ClassOption.STRONG)
              .lookupClass();
      Native.register(copy, library);
      return api.cast(copy.getDeclaredConstructor().newInstance());
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(template + " cannot be copied", e);
    }
  }

  private static byte[] code(Class<?> template) {
    String file = template.getName().substring(template.getPackageName().length() + 1) + ".class";
    try (InputStream stream = template.getResourceAsStream(file)) {
      return stream.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the class file " + file, e);
    }
  }
}

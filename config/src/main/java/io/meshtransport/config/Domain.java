// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.config;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The possible values of a setting, and their parser.
 *
 * @param bounds the possible values, as tables and failure texts show them
 * @param read parses a text; throws {@link IllegalArgumentException} with a message that says what
 *     is wrong, or null where the bounds say it
 */
record Domain<T>(String bounds, Function<String, T> read) {

  /** A whole number within bounds, both included. */
  static Domain<Integer> number(int min, int max) {
    return new Domain<>(min + ".." + max, text -> readNumber(text, min, max));
  }

  /** A whole number, or a word that leaves the choice to the library. */
  static Domain<OptionalInt> numberOr(String word, int min, int max) {
    return new Domain<>(
        word + " or " + min + ".." + max,
        text ->
            text.equalsIgnoreCase(word)
                ? OptionalInt.empty()
                : OptionalInt.of(readNumber(text, min, max)));
  }

  /** One of a few numbers, or a word that leaves the choice to the library. */
  static Domain<OptionalInt> oneOfOr(String word, Integer... numbers) {
    List<Integer> allowed = List.of(numbers);
    return new Domain<>(
        word + " or " + allowed.stream().map(String::valueOf).collect(Collectors.joining(", ")),
        text ->
            text.equalsIgnoreCase(word)
                ? OptionalInt.empty()
                : OptionalInt.of(
                    allowed.stream()
                        .filter(number -> number.toString().equals(text))
                        .findFirst()
                        .orElseThrow(IllegalArgumentException::new)));
  }

  /** One of an enum's constants, in lower case with a dash for the underscore. */
  static <E extends Enum<E>> Domain<E> choice(Class<E> type) {
    E[] constants = type.getEnumConstants();
    return new Domain<>(
        Arrays.stream(constants).map(Domain::label).collect(Collectors.joining(", ")),
        text ->
            Arrays.stream(constants)
                .filter(constant -> label(constant).equals(text.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(IllegalArgumentException::new));
  }

  /** A whole number within bounds, except one, whose refusal says why. */
  static Domain<Integer> numberExcept(int min, int max, int refused, String why) {
    return new Domain<>(
        min + ".." + max,
        text -> {
          if (text.equals(String.valueOf(refused))) {
            throw new IllegalArgumentException(why);
          }
          return readNumber(text, min, max);
        });
  }

  /** How an enum's constant is spelled in a setting. */
  static String label(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static int readNumber(String text, int min, int max) {
    // Every int fits ten digits, so anything longer is out of bounds.
    if (!text.matches("-?[0-9]{1,10}")) {
      throw new IllegalArgumentException();
    }
    long number = Long.parseLong(text);
    if (number < min || number > max) {
      throw new IllegalArgumentException();
    }
    return (int) number;
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.map;

import java.lang.reflect.RecordComponent;
import java.util.List;

/**
 * The JSON form (RFC 8259) of records: an object with the components in their order, indented.
 * Components are records, lists, texts, enums, numbers and booleans; null is written as such.
 */
final class RecordJson {
  private static final String INDENT = "  ";

  private final StringBuilder text = new StringBuilder();

  private RecordJson() {}

  static String of(Record value) {
    RecordJson json = new RecordJson();
    json.object(value, "\n");
    return json.text.append('\n').toString();
  }

  private void value(Object value, String newline) {
    if (value instanceof Record each) {
      object(each, newline);
    } else if (value instanceof List<?> each) {
      array(each, newline);
    } else if (value == null || value instanceof Number || value instanceof Boolean) {
      text.append(value);
    } else if (value instanceof Enum<?> each) {
      string(each.name());
    } else if (value instanceof String each) {
      string(each);
    } else {
      throw new IllegalStateException("no JSON for " + value.getClass());
    }
  }

  private void object(Record value, String newline) {
    text.append('{');
    String gap = newline + INDENT;
    for (RecordComponent each : value.getClass().getRecordComponents()) {
      text.append(gap);
      string(each.getName());
      text.append(" : ");
      value(component(value, each), newline + INDENT);
      gap = "," + newline + INDENT;
    }
    text.append(newline).append('}');
  }

  private static Object component(Record of, RecordComponent component) {
    try {
      return component.getAccessor().invoke(of);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private void array(List<?> values, String newline) {
    text.append("[ ");
    String gap = "";
    for (Object each : values) {
      text.append(gap);
      value(each, newline);
      gap = ", ";
    }
    text.append(values.isEmpty() ? "]" : " ]");
  }

  private void string(String value) {
    text.append('"');
    for (int i = 0; i < value.length(); i++) {
      char each = value.charAt(i);
      if (each == '"' || each == '\\') {
        text.append('\\').append(each);
      } else if (each < ' ') {
        text.append(String.format("\\u%04x", (int) each));
      } else {
        text.append(each);
      }
    }
    text.append('"');
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Boots guests; left out, with the reason, where this host cannot. {@code -Dmesh.test.lab=required}
 * makes that a failure, {@code -Dmesh.test.lab=off} leaves it out anyway.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("lab")
@ExtendWith(RequiresLab.Condition.class)
public @interface RequiresLab {
  /** Queries the host once. */
  final class Condition implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      return TestLab.obstacle()
          .map(why -> ConditionEvaluationResult.disabled("no RoCE lab here: " + why))
          .orElseGet(() -> ConditionEvaluationResult.enabled("the RoCE lab is ready"));
    }
  }
}

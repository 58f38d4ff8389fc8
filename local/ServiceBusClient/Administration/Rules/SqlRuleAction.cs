namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>Sets and removes properties of a message.</summary>
public sealed class SqlRuleAction : RuleAction
{
    /// <param name="sqlExpression">1 to 1024 characters, such as <c>SET colour = 'red'; REMOVE size</c>; the broker checks the
    /// grammar.</param>
    public SqlRuleAction(string sqlExpression) => SqlExpression = SqlText.Checked(sqlExpression);

    public string SqlExpression { get; }

    /// <summary>Values of the expression's parameters, such as <c>@most</c>.</summary>
    public IDictionary<string, object> Parameters { get; } = new Dictionary<string, object>();

    public static bool operator ==(SqlRuleAction? left, SqlRuleAction? right) => left is null ? right is null : left.Equals(right);

    public static bool operator !=(SqlRuleAction? left, SqlRuleAction? right) => !(left == right);

    public override bool Equals(RuleAction? other) =>
        other is SqlRuleAction sql && string.Equals(SqlExpression, sql.SqlExpression, StringComparison.OrdinalIgnoreCase)
        && SqlText.AreEqual(Parameters, sql.Parameters);

    public override bool Equals(object? obj) => obj is RuleAction other && Equals(other);

    public override int GetHashCode() => StringComparer.OrdinalIgnoreCase.GetHashCode(SqlExpression);

    public override string ToString() => $"SqlRuleAction: {SqlExpression}";
}

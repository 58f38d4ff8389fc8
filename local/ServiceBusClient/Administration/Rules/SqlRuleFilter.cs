namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>Messages for which an expression is true.</summary>
/// <param name="sqlExpression">1 to 1024 characters; the broker checks the grammar.</param>
public class SqlRuleFilter(string sqlExpression) : RuleFilter
{
    public string SqlExpression { get; } = SqlText.Checked(sqlExpression);

    /// <summary>Values of the expression's parameters, such as <c>@most</c>.</summary>
    public IDictionary<string, object> Parameters { get; } = new Dictionary<string, object>();

    public static bool operator ==(SqlRuleFilter? left, SqlRuleFilter? right) => left is null ? right is null : left.Equals(right);

    public static bool operator !=(SqlRuleFilter? left, SqlRuleFilter? right) => !(left == right);

    public override bool Equals(RuleFilter? other) =>
        other is SqlRuleFilter sql && sql.GetType() == GetType()
        && string.Equals(SqlExpression, sql.SqlExpression, StringComparison.OrdinalIgnoreCase)
        && SqlText.AreEqual(Parameters, sql.Parameters);

    public override bool Equals(object? obj) => obj is RuleFilter other && Equals(other);

    public override int GetHashCode() => StringComparer.OrdinalIgnoreCase.GetHashCode(SqlExpression);

    public override string ToString() => $"SqlRuleFilter: {SqlExpression}";
}

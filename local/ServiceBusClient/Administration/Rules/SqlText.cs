namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>What SQL filters and SQL actions have in common.</summary>
internal static class SqlText
{
    private const int Longest = 1024;

    /// <exception cref="ArgumentException">It is empty, or longer than 1024 characters.</exception>
    public static string Checked(string sqlExpression)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(sqlExpression);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(sqlExpression.Length, Longest, nameof(sqlExpression));
        return sqlExpression;
    }

    public static bool AreEqual(IDictionary<string, object> one, IDictionary<string, object> other) =>
        one.Count == other.Count && one.All(entry => other.TryGetValue(entry.Key, out var value) && Equals(entry.Value, value));
}

namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>Messages in which everything that is given here is equal.</summary>
public sealed class CorrelationRuleFilter : RuleFilter
{
    public CorrelationRuleFilter()
    {
    }

    public CorrelationRuleFilter(string correlationId)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(correlationId);
        CorrelationId = correlationId;
    }

    public string? CorrelationId { get; set; }

    public string? MessageId { get; set; }

    public string? To { get; set; }

    public string? ReplyTo { get; set; }

    public string? Subject { get; set; }

    public string? SessionId { get; set; }

    public string? ReplyToSessionId { get; set; }

    public string? ContentType { get; set; }

    public IDictionary<string, object> ApplicationProperties { get; internal init; } = new Dictionary<string, object>();

    /// <summary>In the order in which the broker's descriptions have them, by their names there.</summary>
    internal IEnumerable<(string Name, string? Value)> Properties =>
    [
        ("CorrelationId", CorrelationId),
        ("MessageId", MessageId),
        ("To", To),
        ("ReplyTo", ReplyTo),
        ("Label", Subject),
        ("SessionId", SessionId),
        ("ReplyToSessionId", ReplyToSessionId),
        ("ContentType", ContentType),
    ];

    public static bool operator ==(CorrelationRuleFilter? left, CorrelationRuleFilter? right) =>
        left is null ? right is null : left.Equals(right);

    public static bool operator !=(CorrelationRuleFilter? left, CorrelationRuleFilter? right) => !(left == right);

    public override bool Equals(RuleFilter? other) =>
        other is CorrelationRuleFilter filter && Properties.SequenceEqual(filter.Properties)
        && SqlText.AreEqual(ApplicationProperties, filter.ApplicationProperties);

    public override bool Equals(object? obj) => obj is RuleFilter other && Equals(other);

    public override int GetHashCode() => HashCode.Combine(CorrelationId, MessageId, To, ReplyTo, Subject, SessionId, ContentType);

    public override string ToString()
    {
        var given = Properties.Where(property => property.Value is not null).Select(property => $"{property.Name}='{property.Value}'");
        return $"CorrelationRuleFilter: {string.Join(", ", given)}";
    }
}

using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Measure;

/// <summary><c>transaction.kql</c> for one transaction or several.</summary>
internal static class TransactionQuery
{
    public const string Name = "transaction",
        Operation = "operation";

    private const string One = "operation_Id == operation",
        Most = "| take 500";

    /// <summary>Any number of transactions, from whenever they are.</summary>
    public static KqlQuery Of(IEnumerable<string> operations)
    {
        var list = string.Join(", ", operations.Select(LetText.Literal));
        var text = QueryFile
            .Text(Name)
            .Replace(One, $"operation_Id in ({list})", StringComparison.Ordinal)
            .Replace(Most, "", StringComparison.Ordinal);
        return KqlQuery.Parse(text);
    }
}

using System.Diagnostics.CodeAnalysis;

namespace DroneDelivery.Telemetry.Tables;

/// <summary>The scalar types of the Kusto query language that telemetry uses. A datetime is stored as UTC ticks, a
/// timespan as ticks, an int as a long. Strings are never null (missing is empty).</summary>
[SuppressMessage("Naming", "CA1720", Justification = "These are the query language's own names.")]
public enum ColumnType
{
    Bool,
    DateTime,
    Dynamic,
    Int,
    Long,
    Real,
    String,
    TimeSpan,
}

public static class ColumnTypes
{
    private static readonly string[] Names = [.. Enum.GetNames<ColumnType>().Select(name => name.ToLowerInvariant())];

    /// <summary>Returns the name in the query language: <c>datetime</c>, <c>real</c>, ….</summary>
    public static string KqlName(this ColumnType type) => Names[(int)type];

    public static ColumnType? Find(string kqlName) =>
        kqlName switch
        {
            "boolean" => ColumnType.Bool,
            "double" => ColumnType.Real,
            "time" => ColumnType.TimeSpan,
            _ => Array.IndexOf(Names, kqlName) is var index and >= 0 ? (ColumnType)index : null,
        };
}

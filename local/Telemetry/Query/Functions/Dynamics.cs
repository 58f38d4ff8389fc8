using System.Text.Json;
using DroneDelivery.Telemetry.Tables;
using Kql = DroneDelivery.Telemetry.Tables.ColumnType;

namespace DroneDelivery.Telemetry.Query;

/// <summary>Members of dynamic values, and what makes or takes them.</summary>
internal static class Dynamics
{
    public static readonly Function[] Operators =
    [
        new(
            ".",
            ResultName.None,
            [new(Kql.Dynamic, [Kql.Dynamic, Kql.String], Select<string>((json, key) => json.Member(key)))]
        ),
        new(
            "[]",
            ResultName.None,
            [new(Kql.Dynamic, [Kql.Dynamic, Kql.Long], Select<long>((json, index) => json.Element(index)))]
        ),
    ];

    public static readonly Function[] Functions =
    [
        new(
            "array_length",
            ResultName.None,
            [new(Kql.Long, [Kql.Dynamic], Kernels.Maybe<Dynamic, long>(Kql.Long, json => json.ArrayLength()))]
        ),
        Parse("parse_json"),
        Parse("todynamic"),
        new(
            "split",
            ResultName.FirstArgument,
            [
                new(Kql.Dynamic, [Kql.String, Kql.String], Kernels.Of<string, string, Dynamic>(Kql.Dynamic, Split)),
                new(
                    Kql.Dynamic,
                    [Kql.String, Kql.String, Kql.Long],
                    Kernels.Of<string, string, long, Dynamic>(Kql.Dynamic, Split)
                ),
            ]
        ),
    ];

    private static Function Parse(string name) =>
        new(
            name,
            ResultName.FirstArgument,
            [
                new(Kql.Dynamic, [Kql.Dynamic], (arguments, _, _) => arguments[0]),
                new(Kql.Dynamic, [Kql.String], Select(Dynamic.Parse)),
            ]
        );

    private static Kernel Select<K>(Func<Dynamic, K, Dynamic> select) =>
        Kernels.Maybe<Dynamic, K, Dynamic>(Kql.Dynamic, (json, key) =>
            select(json, key) is { IsNull: false } found ? found : null
        );

    private static Kernel Select(Func<string, Dynamic> select) =>
        Kernels.Maybe<string, Dynamic>(Kql.Dynamic, text => select(text) is { IsNull: false } found ? found : null);

    private static Dynamic Split(string text, string separator) =>
        new(JsonSerializer.SerializeToUtf8Bytes(separator.Length == 0 ? [text] : text.Split(separator)));

    private static Dynamic Split(string text, string separator, long index)
    {
        var parts = separator.Length == 0 ? [text] : text.Split(separator);
        return new(
            JsonSerializer.SerializeToUtf8Bytes(
                index >= 0 && index < parts.Length ? [parts[index]] : Array.Empty<string>()
            )
        );
    }
}

using System.Text.Json;
using DroneDelivery.Telemetry.Tables;
using static DroneDelivery.Telemetry.Query.Function;
using static DroneDelivery.Telemetry.Query.Kernels;

namespace DroneDelivery.Telemetry.Query;

internal static class Dynamics
{
    public static readonly Function[] Operators =
    [
        new(".", "dynamic, string -> dynamic", Maybe((Dynamic json, string key) => Found(json.Member(key)))),
        new("[]", "dynamic, long -> dynamic", Maybe((Dynamic json, long index) => Found(json.Element(index)))),
    ];

    public static readonly Function[] Functions =
    [
        new("array_length", "dynamic -> long", Maybe((Dynamic json) => json.ArrayLength())),
        Parse("parse_json"),
        Parse("todynamic"),
        KeepsName(
            "split",
            [
                new("string, string -> dynamic", Of((string text, string separator) => Json(Parts(text, separator)))),
                new(
                    "string, string, long -> dynamic",
                    Of(
                        (string text, string separator, long index) =>
                            Json([.. Parts(text, separator).Where((_, i) => i == index)])
                    )
                ),
            ]
        ),
    ];

    private static Function Parse(string name) =>
        KeepsName(
            name,
            [
                new("dynamic -> dynamic", Same),
                new("string -> dynamic", Maybe((string text) => Found(Dynamic.Parse(text)))),
            ]
        );

    private static Dynamic? Found(Dynamic value) => value.IsNull ? null : value;

    private static string[] Parts(string text, string separator) =>
        separator.Length == 0 ? [text] : text.Split(separator);

    private static Dynamic Json(string[] parts) => new(JsonSerializer.SerializeToUtf8Bytes(parts));
}

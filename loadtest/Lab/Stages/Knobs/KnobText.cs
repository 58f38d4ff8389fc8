using System.Text.Json.Nodes;
using System.Text.RegularExpressions;

namespace DroneDelivery.Lab.Stages;

/// <summary>Converts settings from and to text: as entered, as displayed, and for a service's configuration.</summary>
internal static partial class KnobText
{
    private static readonly Dictionary<string, double> Seconds = new(StringComparer.OrdinalIgnoreCase)
    {
        [""] = 1,
        ["s"] = 1,
        ["ms"] = 0.001,
        ["m"] = 60,
        ["min"] = 60,
        ["h"] = 3600,
    };

    private static readonly Dictionary<string, double> Bytes = new(StringComparer.OrdinalIgnoreCase)
    {
        [""] = 1,
        ["b"] = 1,
        ["kb"] = 1024,
        ["mb"] = 1024 * 1024,
        ["gb"] = 1024 * 1024 * 1024,
    };

    /// <summary>Returns the text of a JSON value: a number, a string with a unit, or an array of either.</summary>
    public static string Of(JsonNode? value) =>
        value is JsonArray list ? string.Join(',', list.Select(Of)) : $"{value}";

    /// <summary>Parses a value; <c>null</c> if it is invalid.</summary>
    public static KnobValue? Read(Knob knob, string text) =>
        knob.Unit switch
        {
            KnobUnit.Word => knob.Words.FirstOrDefault(word => word.Equals(text, StringComparison.OrdinalIgnoreCase))
                is { } word
                ? new([], word)
                : null,
            KnobUnit.SecondsList => ReadList(text),
            KnobUnit.Seconds => One(ReadNumber(text, Seconds)),
            KnobUnit.Bytes => One(Whole(ReadNumber(text, Bytes))),
            KnobUnit.Count => One(Whole(ReadNumber(text, null))),
            _ => One(ReadNumber(text, null)),
        };

    public static string Show(Knob knob, KnobValue value) =>
        value.Word ?? string.Join(",", value.Numbers.Select(number => Show(knob, number)));

    public static string Show(Knob knob, double number) =>
        knob.Unit switch
        {
            KnobUnit.Seconds or KnobUnit.SecondsList => number.ToString("0.####") + "s",
            _ => number.ToString("0.####"),
        };

    public static string Describe(KnobUnit unit) =>
        unit switch
        {
            KnobUnit.Count => "a whole number",
            KnobUnit.Seconds => "seconds (or 500ms, 5m)",
            KnobUnit.SecondsList => "comma-separated seconds (0,2,6), each",
            KnobUnit.Bytes => "bytes (or 512kb, 2mb)",
            _ => "a number",
        };

    /// <summary>Formats a number for .NET configuration: durations as <c>hh:mm:ss.fffffff</c>.</summary>
    public static string Setting(Knob knob, KnobValue value, int i) =>
        knob.Unit switch
        {
            KnobUnit.Word => value.Word switch
            {
                "on" => "true",
                "off" => "false",
                var word => word!,
            },
            KnobUnit.Seconds or KnobUnit.SecondsList => TimeSpan.FromSeconds(value.Numbers[i]).ToString("c"),
            _ => value.Numbers[i].ToString("0.####"),
        };

    private static KnobValue? ReadList(string text)
    {
        var numbers = text.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries)
            .Select(part => ReadNumber(part, Seconds))
            .ToList();
        return numbers.Contains(null) ? null : new([.. numbers.OfType<double>()]);
    }

    private static double? ReadNumber(string text, Dictionary<string, double>? units)
    {
        var match = NumberAndUnit().Match(text.Trim());
        if (!match.Success || !double.TryParse(match.Groups[1].Value, out var number))
            return null;
        var unit = match.Groups[2].Value;
        return units is null ? (unit.Length == 0 ? number : null)
            : units.TryGetValue(unit, out var factor) ? number * factor
            : null;
    }

    private static double? Whole(double? number) => number is { } n && Math.Floor(n) == n ? n : null;

    private static KnobValue? One(double? number) => number is { } n ? new([n]) : null;

    [GeneratedRegex("^(-?[0-9]*\\.?[0-9]+) *([a-zA-Z]*)$")]
    private static partial Regex NumberAndUnit();
}

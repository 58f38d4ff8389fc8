using System.Text.RegularExpressions;

namespace DroneDelivery.Telemetry.Query;

/// <summary><c>[[:alpha:]]</c> and its kin, which .NET reads as something else without a word.</summary>
internal static partial class PosixClasses
{
    private static readonly Dictionary<string, string> Ranges = new()
    {
        ["alnum"] = "0-9A-Za-z",
        ["alpha"] = "A-Za-z",
        ["ascii"] = "\\x00-\\x7F",
        ["blank"] = "\\t ",
        ["cntrl"] = "\\x00-\\x1F\\x7F",
        ["digit"] = "0-9",
        ["graph"] = "!-~",
        ["lower"] = "a-z",
        ["print"] = " -~",
        ["punct"] = "!-/:-@\\[-`{-~",
        ["space"] = "\\t\\n\\v\\f\\r ",
        ["upper"] = "A-Z",
        ["word"] = "0-9A-Za-z_",
        ["xdigit"] = "0-9A-Fa-f",
    };

    /// <summary>The pattern with the characters that each class stands for.</summary>
    public static string Spelled(string pattern) => pattern.Contains("[:", StringComparison.Ordinal)
        ? Class().Replace(pattern, match => Ranges.GetValueOrDefault(match.Groups[1].Value, match.Value))
        : pattern;

    [GeneratedRegex(@"\[:([a-z]+):\]")]
    private static partial Regex Class();
}

using System.Globalization;
using System.Text.RegularExpressions;

namespace DroneDelivery.Lab.Telemetry;

/// <summary>The text of a query file with other values in its let statements, as somebody can paste it.</summary>
internal static class LetText
{
    /// <param name="query">A file whose let statements have those names.</param>
    /// <param name="let">Times, numbers and texts.</param>
    public static string With(string query, IReadOnlyDictionary<string, object> let) => let.Aggregate(
        query,
        (text, value) => new Regex($"let {value.Key} = [^;]+;", RegexOptions.CultureInvariant)
            .Replace(text, _ => $"let {value.Key} = {Literal(value.Value)};", 1));

    public static string Literal(object value) => value switch
    {
        DateTimeOffset time => time.UtcDateTime.ToString("'datetime('yyyy-MM-ddTHH:mm:ss.fff'Z)'", CultureInfo.InvariantCulture),
        double number => number.ToString("0.0###", CultureInfo.InvariantCulture),
        string text => $"'{text.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("'", "\\'", StringComparison.Ordinal)}'",
        _ => throw new ArgumentException($"A value of type {value.GetType().Name} is no literal here."),
    };
}

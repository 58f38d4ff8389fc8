using System.Text;
using System.Text.RegularExpressions;

namespace DroneDelivery.Lab.Measure;

/// <summary>The text of a query file with other values in its let statements, as somebody can paste it.</summary>
internal static class LetText
{
    /// <param name="query">A file whose let statements have those names.</param>
    /// <param name="let">Times, numbers and texts. One that looks like a let statement itself is not replaced again.</param>
    public static string With(string query, IReadOnlyDictionary<string, object> let) =>
        Regex.Replace(
            query,
            $"let ({string.Join('|', let.Keys)}) = [^;]+;",
            found => $"let {found.Groups[1].Value} = {Literal(let[found.Groups[1].Value])};",
            RegexOptions.CultureInvariant
        );

    public static string Literal(object value) =>
        value switch
        {
            DateTimeOffset time => time.UtcDateTime.ToString("'datetime('yyyy-MM-ddTHH:mm:ss.fffFFFF'Z)'"),
            double number => number.ToString("0.0#########"),
            string text => text.Aggregate(new StringBuilder("'"), Escaped).Append('\'').ToString(),
            _ => throw new ArgumentException($"A value of type {value.GetType().Name} is no literal here."),
        };

    private static StringBuilder Escaped(StringBuilder text, char character) =>
        character switch
        {
            '\\' or '\'' => text.Append('\\').Append(character),
            _ when char.IsControl(character) => text.Append($"\\u{(int)character:x4}"),
            _ => text.Append(character),
        };
}

using System.Text;
using System.Text.RegularExpressions;

namespace DroneDelivery.Lab.Measure;

/// <summary>Replaces the values of let statements in a query.</summary>
internal static class LetText
{
    /// <param name="let">Times, numbers and strings.</param>
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
            _ => throw new ArgumentException($"A value of type {value.GetType().Name} isn't a literal here."),
        };

    private static StringBuilder Escaped(StringBuilder text, char character) =>
        character switch
        {
            '\\' or '\'' => text.Append('\\').Append(character),
            _ when char.IsControl(character) => text.Append($"\\u{(int)character:x4}"),
            _ => text.Append(character),
        };
}

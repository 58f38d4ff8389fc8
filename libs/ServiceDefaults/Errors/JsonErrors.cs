using System.Text.Json;
using System.Text.RegularExpressions;

namespace DroneDelivery.ServiceDefaults.Errors;

/// <summary>Names the field that a <see cref="JsonException"/> is about. The serializer says much of it in its message alone.</summary>
public static partial class JsonErrors
{
    private const int LongestName = 100;

    /// <summary>Errors by JSON path; the path of the whole body is <c>$</c>.</summary>
    public static IDictionary<string, string[]> Of(JsonException exception)
    {
        var path = (exception.Path ?? "$").Replace("$.", "", StringComparison.Ordinal);
        if (MissingProperties().Match(exception.Message) is { Success: true } missing)
        {
            return missing
                .Groups["name"]
                .Captures.ToDictionary(
                    name => path is "$" ? name.Value : $"{path}.{name.Value}",
                    string[] (_) => ["Required."]
                );
        }
        return UnmappedMember().Match(exception.Message) is { Success: true } unmapped
            ? new Dictionary<string, string[]> { [PathOf(unmapped.Groups["name"].Value, path)] = ["Unknown member."] }
            : new Dictionary<string, string[]> { [path] = [MessageOf(exception)] };
    }

    /// <summary>The serializer's path is the member's or its owner's, depending on where it was when it noticed. A body may be a megabyte
    /// of one name; its answer is not.</summary>
    private static string PathOf(string member, string path)
    {
        var owner =
            path == member || path.EndsWith($".{member}", StringComparison.Ordinal) ? path[..^member.Length]
            : path is "$" ? ""
            : $"{path}.";
        return owner + (member.Length <= LongestName ? member : $"{member[..LongestName]}…");
    }

    private static string MessageOf(JsonException exception) =>
        exception.Message.Contains("doesn't allow setting null", StringComparison.Ordinal) ? "Must not be null."
        : WrongType().Match(exception.Message) is { Success: true } wrong
            ? $"Must be {Describe(wrong.Groups["type"].Value)}."
        : WithoutPosition().Replace(exception.Message, "");

    private static string Describe(string type) =>
        type switch
        {
            _ when type.Contains("System.Double", StringComparison.Ordinal) => "a number",
            _ when type.Contains("System.Int", StringComparison.Ordinal) => "a whole number",
            _ when type.Contains("System.Boolean", StringComparison.Ordinal) => "true or false",
            _ when type.Contains("System.String", StringComparison.Ordinal) => "a text",
            _ => "a JSON object",
        };

    [GeneratedRegex("missing required properties including: (?:'(?<name>[^']+)'(?:, )?)+")]
    private static partial Regex MissingProperties();

    [GeneratedRegex("^The JSON property '(?<name>.*)' could not be mapped to any .NET member", RegexOptions.Singleline)]
    private static partial Regex UnmappedMember();

    [GeneratedRegex(@"could not be converted to (?<type>\S+)\. ")]
    private static partial Regex WrongType();

    [GeneratedRegex(@" Path: .*$")]
    private static partial Regex WithoutPosition();
}

using System.Text.Json;
using System.Text.RegularExpressions;
using DroneDelivery.ServiceDefaults.Validation;

namespace DroneDelivery.ServiceDefaults.Errors;

/// <summary>Names the field that a <see cref="JsonException"/> is about.</summary>
public static partial class JsonErrors
{
    private static readonly string[] Required = ["Required."];

    /// <summary>Errors by JSON path; the path of the whole body is <c>$</c>.</summary>
    public static IDictionary<string, string[]> Of(JsonException exception)
    {
        ArgumentNullException.ThrowIfNull(exception);
        var path = (exception.Path ?? "$").Replace("$.", "", StringComparison.Ordinal);
        var missing = MissingProperties().Match(exception.Message);
        if (missing.Success)
        {
            return missing.Groups["name"].Captures.ToDictionary(
                name => path is "$" ? name.Value : $"{path}.{name.Value}",
                _ => Required);
        }
        if (UnmappedMember().Match(exception.Message) is { Success: true } unmapped)
            return Unknown(path, unmapped.Groups["name"].Value, unmapped.Groups["type"].Value);
        return new Dictionary<string, string[]> { [path] = [MessageOf(exception)] };
    }

    private static Dictionary<string, string[]> Unknown(string path, string member, string type)
    {
        // The path is the member's or its owner's, depending on where the serialiser was when it noticed.
        var isMember = path == member || path.EndsWith($".{member}", StringComparison.Ordinal);
        var owner = isMember ? path[..^member.Length] : path is "$" ? "" : $"{path}.";
        return new() { [owner + UnknownMembers.Excerpt(member)] = [UnknownMembers.Describe(member, type)] };
    }

    private static string MessageOf(JsonException exception)
    {
        if (exception.Message.Contains("doesn't allow setting null", StringComparison.Ordinal))
            return "Must not be null.";
        var wrongType = WrongType().Match(exception.Message);
        return wrongType.Success
            ? $"Must be {Describe(wrongType.Groups["type"].Value)}."
            : WithoutPosition().Replace(exception.Message, "");
    }

    private static string Describe(string type) => type switch
    {
        _ when type.Contains("System.DateTimeOffset", StringComparison.Ordinal) => "a date and time such as 2030-01-31T12:00:00Z",
        _ when type.Contains("System.Double", StringComparison.Ordinal) => "a number",
        _ when type.Contains("System.Int", StringComparison.Ordinal) => "a whole number",
        _ when type.Contains("System.Boolean", StringComparison.Ordinal) => "true or false",
        _ when type.Contains("System.String", StringComparison.Ordinal) => "a text",
        _ => "a JSON object",
    };

    // The serialiser reports missing properties in its message alone, on the path of the object that lacks them.
    [GeneratedRegex("missing required properties including: (?:'(?<name>[^']+)'(?:, )?)+")]
    private static partial Regex MissingProperties();

    [GeneratedRegex(
        "^The JSON property '(?<name>.*)' could not be mapped to any .NET member contained in type '(?<type>[^']+)'",
        RegexOptions.Singleline)]
    private static partial Regex UnmappedMember();

    [GeneratedRegex(@"could not be converted to (?<type>\S+)\. ")]
    private static partial Regex WrongType();

    [GeneratedRegex(@" Path: .*$")]
    private static partial Regex WithoutPosition();
}

using System.Text.Json;
using System.Text.RegularExpressions;

namespace DroneDelivery.ServiceDefaults.Errors;

/// <summary>Finds the fields that a <see cref="JsonException"/> is about; some are only in its message.</summary>
public static partial class JsonErrors
{
    /// <summary>Returns errors by JSON path; <c>$</c> is the body.</summary>
    public static IDictionary<string, string[]> From(JsonException exception)
    {
        var message = exception.Message.Split(" Path: ")[0];
        var path = exception.Path?.Replace("$.", "", StringComparison.Ordinal) ?? "$";
        var names = Names().Match(message).Groups["name"].Captures;
        if (names.Count > 0)
            return names.ToDictionary(name => Join(path, name.Value), string[] (_) => [ReasonOf(message)]);
        return new Dictionary<string, string[]> { [path] = [ReasonOf(message)] };
    }

    private static string ReasonOf(string message) =>
        message switch
        {
            _ when message.Contains("missing required", StringComparison.Ordinal) => "Required.",
            _ when message.Contains("could not be mapped", StringComparison.Ordinal) => "Unknown property.",
            _ when message.Contains("setting null", StringComparison.Ordinal) => "Must not be null.",
            _ when message.Contains("could not be converted", StringComparison.Ordinal) => "Has the wrong type.",
            _ => message,
        };

    /// <summary>The path ends with the property or its parent, depending on where the serializer failed.</summary>
    private static string Join(string path, string name)
    {
        if (path == name || path.EndsWith($".{name}", StringComparison.Ordinal))
            return path;
        return path is "$" ? name : $"{path}.{name}";
    }

    [GeneratedRegex(
        "required properties including: ('(?<name>[^']+)'(, )?)+|property '(?<name>.*)' could not be mapped",
        RegexOptions.Singleline
    )]
    private static partial Regex Names();
}

using System.Text.Json;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Lab.Report;

/// <summary>What Application Insights keeps of a step as JSON: attributes, measurements, and the stacks of an exception.</summary>
internal static class StepDetails
{
    private static readonly JsonDocumentOptions Deep = new() { MaxDepth = 256 };

    public static IReadOnlyList<(string Name, string Value)> Attributes(Dynamic json)
    {
        if (json.Kind != JsonValueKind.Object)
            return [];
        using var document = JsonDocument.Parse(json.Json, Deep);
        return [.. document.RootElement.EnumerateObject().Select(member => (member.Name, member.Value.ToString()))];
    }

    /// <param name="details">The chain of exceptions from the outermost to the innermost.</param>
    public static string Stack(Dynamic details)
    {
        if (details.Kind != JsonValueKind.Array)
            return "";
        using var document = JsonDocument.Parse(details.Json, Deep);
        return string.Join('\n', document.RootElement.EnumerateArray()
            .Where(exception => exception.ValueKind == JsonValueKind.Object)
            .Select(exception => string.Join('\n', [Title(exception), .. Frames(exception)])));
    }

    private static string Title(JsonElement exception) => $"{Text(exception, "typeName")}: {Text(exception, "message")}";

    private static IEnumerable<string> Frames(JsonElement exception) =>
        exception.TryGetProperty("parsedStack", out var stack) && stack.ValueKind == JsonValueKind.Array
            ? stack.EnumerateArray().Where(frame => frame.ValueKind == JsonValueKind.Object).Select(Frame)
            : Text(exception, "stack") is { Length: > 0 } text ? [text] : [];

    private static string Frame(JsonElement frame)
    {
        var (file, line) = (Text(frame, "fileName"), Text(frame, "line"));
        return $"   at {Text(frame, "method")}{(file.Length == 0 ? "" : $" in {file}:{line}")}";
    }

    private static string Text(JsonElement element, string name) =>
        element.TryGetProperty(name, out var value) ? value.ToString() : "";
}

using System.Text.Json.Nodes;

namespace DroneDelivery.Lab.Experiments;

/// <summary>Bodies of delivery requests of which each breaks the schema in one way.</summary>
internal static class MutatedBodies
{
    private static readonly string[] Required = ["ownerId", "pickupLocation", "dropOffLocation", "pickupTime", "packageInfo"];

    public static IReadOnlyList<string> Of(string valid) =>
    [
        valid.TrimEnd()[..^1], $"{valid}}}", "", "null", "[]", $"[{valid}]", "\"text\"", "42",
        .. Required.Select(name => With(valid, body => body.Remove(name))),
        .. Required.Select(name => With(valid, body => body[name] = null)),
        .. Required.Select(name => With(valid, body => body[name] = 7)),
        .. Required.Select(name => With(valid, body => body[name] = new JsonArray())),
        With(valid, body => body["expedited"] = "yes"),
        With(valid, body => body["confirmationRequired"] = "Perhaps"),
        With(valid, body => body["unknown"] = 1),
        With(valid, body => body["pickupTime"] = "tomorrow"),
        With(valid, body => Part(body, "pickupLocation")["latitude"] = "north"),
        With(valid, body => Part(body, "pickupLocation").Remove("longitude")),
        With(valid, body => Part(body, "packageInfo").Remove("packageId")),
        With(valid, body => Part(body, "packageInfo")["size"] = "Enormous"),
        With(valid, body => Part(body, "packageInfo")["weight"] = -1),
        With(valid, body => Part(body, "packageInfo")["weight"] = new JsonObject()),
    ];

    private static JsonObject Part(JsonObject body, string name) => body[name]!.AsObject();

    private static string With(string valid, Action<JsonObject> breakIt)
    {
        var body = JsonNode.Parse(valid)!.AsObject();
        breakIt(body);
        return body.ToJsonString();
    }
}

using System.Text.Json;
using System.Text.Json.Nodes;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Lab.Judge;
using Spectre.Console;

namespace DroneDelivery.Lab.Operations;

/// <summary>A dead letter with its body.</summary>
internal sealed record ShownLetter(DeadLetter Letter, ServiceBusReceivedMessage Message);

internal static class DeadLettersText
{
    private const int LongestDescription = 160;

    public static Table Table(IReadOnlyList<DeadLetter> letters, DateTimeOffset now)
    {
        string[] head = ["reason", "description", "age", "id", "operation", "deliveries#", "lies in"];
        var table = Lab.Table.Of("", head, letters, letter =>
            [
                Printable(letter.Reason),
                Printable(Shortened(letter.Description)),
                Age(now - letter.Since),
                Printable(letter.Id),
                Printable(letter.Operation ?? ""),
                $"{letter.Deliveries}",
                Printable(letter.Place),
            ]
        );
        return table with { ToCopy = "id" };
    }

    public static string Of(IEnumerable<ShownLetter> shown, DateTimeOffset now) =>
        string.Join('\n', shown.Select(it => Of(it.Letter, it.Message, now)));

    private static string Of(DeadLetter letter, ServiceBusReceivedMessage message, DateTimeOffset now)
    {
        var properties = message.ApplicationProperties.Select(property => $"  {property.Key} = {property.Value}");
        return Printable(
            $"""
            id           {letter.Id}
            delivery     {letter.DeliveryId}
            operation    {letter.Operation}
            reason       {letter.Reason}
            description  {letter.Description}
            since        {letter.Since.UtcDateTime:yyyy-MM-dd HH:mm:ss} UTC, {Age(now - letter.Since)} ago
            deliveries   {letter.Deliveries}
            attempt      {letter.Attempt}
            lies in      {letter.Place}, number {letter.SequenceNumber}
            properties
            {string.Join('\n', properties)}
            body
            {(BodyOf(message) is var (json, text) && json is not null ? json.ToJsonString(RunRecord.Options) : text)}
            """
        );
    }

    public static string Json(IReadOnlyList<DeadLetter> letters) =>
        JsonSerializer.Serialize(letters, RunRecord.Options);

    /// <returns>An array where several have the id.</returns>
    public static string Json(IEnumerable<ShownLetter> shown)
    {
        JsonNode[] all = [.. shown.Select(it => Node(it.Letter, it.Message))];
        return (all is [var only] ? only : new JsonArray(all)).ToJsonString(RunRecord.Options);
    }

    private static JsonObject Node(DeadLetter letter, ServiceBusReceivedMessage message)
    {
        var node = JsonSerializer.SerializeToNode(letter, RunRecord.Options)!.AsObject();
        node["properties"] = new JsonObject(
            message.ApplicationProperties.Select(property =>
                KeyValuePair.Create(property.Key, (JsonNode?)$"{property.Value}")
            )
        );
        node["body"] = BodyOf(message) is var (json, text) && json is not null ? json : text;
        return node;
    }

    public static string Json(string what, IEnumerable<DeadLetter> done, IEnumerable<DeadLetter> left) =>
        new JsonObject { [what] = Ids(done), ["left"] = Ids(left) }.ToJsonString(RunRecord.Options);

    private static JsonArray Ids(IEnumerable<DeadLetter> letters) => [.. letters.Select(letter => (JsonNode)letter.Id)];

    /// <summary>The two largest units.</summary>
    internal static string Age(TimeSpan age) =>
        age switch
        {
            { TotalDays: >= 1 } => $"{age.Days} d {age.Hours} h",
            { TotalHours: >= 1 } => $"{age.Hours} h {age.Minutes} min",
            { TotalMinutes: >= 1 } => $"{age.Minutes} min {age.Seconds} s",
            _ => $"{Math.Max(0, age.Seconds)} s",
        };

    /// <returns>The body as JSON if it is JSON, and as text.</returns>
    private static (JsonNode? Json, string Text) BodyOf(ServiceBusReceivedMessage message)
    {
        var text = "";
        try
        {
            text = message.Body.ToString();
            return (JsonNode.Parse(text), text);
        }
        catch (JsonException)
        {
            return (null, text);
        }
        catch (NotSupportedException exception)
        {
            return (null, exception.Message);
        }
    }

    // Half of a surrogate pair could not be written.
    private static string Shortened(string text)
    {
        if (text.Length <= LongestDescription)
            return text;
        var isPair = char.IsHighSurrogate(text[LongestDescription - 1]);
        return text[..(isPair ? LongestDescription - 1 : LongestDescription)] + "…";
    }

    // A message is somebody else's text: it moves no cursor and colors nothing.
    private static string Printable(string text) =>
        string.Concat(
            text.Select(sign => char.IsControl(sign) && sign is not ('\n' or '\r' or '\t') ? '\uFFFD' : sign)
        );
}

namespace DroneDelivery.Lab.Tests.Support;

/// <summary>A request in a <c>.http</c> file, with the response that its comment announces.</summary>
/// <param name="Until">The status of earlier responses; <c>null</c> if there are none.</param>
/// <param name="Stage">The stage of the delivery in the response; <c>null</c> if it isn't announced.</param>
internal sealed record HttpFileRequest(
    string Name,
    HttpMethod Method,
    Uri Url,
    string? ContentType,
    string Body,
    int? Until,
    int? Answer,
    string? Stage
);

/// <summary>A <c>.http</c> file as editors parse it: variables, requests, and comments.</summary>
internal static partial class HttpFile
{
    /// <param name="moved">Maps the value of a variable, because the lab of a test uses other ports.</param>
    public static IReadOnlyList<HttpFileRequest> Read(string text, Func<string, string> moved)
    {
        var variables = Variable()
            .Matches(text)
            .ToDictionary(match => match.Groups[1].Value, match => moved(match.Groups[2].Value));
        var told = Regex.Replace(Variable().Replace(text, ""), @"\{\{(\w+)\}\}", match =>
            variables[match.Groups[1].Value]
        );
        return [.. Regex.Split(told, "^### ", RegexOptions.Multiline).Skip(1).Select(Request)];
    }

    private static HttpFileRequest Request(string block)
    {
        var lines = block.Split('\n').Select(line => line.TrimEnd('\r')).ToList();
        var answer = Announced().Match(string.Join('\n', lines.Where(line => line.StartsWith('#'))));
        var request = lines.Skip(1).SkipWhile(line => line.Length == 0 || line.StartsWith('#')).ToList();
        var (method, url) = request[0].Split(' ', 2) is [var verb, var address] ? (verb, address) : (request[0], "");
        var headers = request.Skip(1).TakeWhile(line => line.Length > 0).ToList();
        return new(
            lines[0].Trim(),
            HttpMethod.Parse(method),
            new Uri(url),
            headers.Find(header => header.StartsWith("Content-Type: ", StringComparison.Ordinal))?.Split(": ")[1],
            string.Join('\n', request.Skip(1 + headers.Count)).Trim(),
            answer.Groups["last"].Success ? int.Parse(answer.Groups["first"].Value) : null,
            answer.Success
                ? int.Parse((answer.Groups["last"].Success ? answer.Groups["last"] : answer.Groups["first"]).Value)
                : null,
            answer.Groups["stage"].Success ? answer.Groups["stage"].Value : null
        );
    }

    [GeneratedRegex(@"^@(\w+) = (.+?)\r?$", RegexOptions.Multiline)]
    private static partial Regex Variable();

    [GeneratedRegex(
        @"^# Answer: (?<first>\d{3})( until .*?, then (?<last>\d{3}))?( with the status (?<stage>\w+))?",
        RegexOptions.Multiline
    )]
    private static partial Regex Announced();
}

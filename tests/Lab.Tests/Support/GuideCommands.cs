namespace DroneDelivery.Lab.Tests.Support;

/// <summary>
/// Runs the commands that <c>lab up</c> prints in a shell, and requests every address in them and in their output.
/// </summary>
internal static partial class GuideCommands
{
    public static async Task<int> RunAllAsync(IReadOnlyList<string> guide)
    {
        using var http = Loopback.CreateClient();
        foreach (var line in guide.Where(line => !line.TrimStart().StartsWith("curl ", StringComparison.Ordinal)))
        {
            foreach (Match address in Address().Matches(line))
            {
                Assert.Equal(
                    (address.Value, HttpStatusCode.OK),
                    (address.Value, (await http.GetAsync(new Uri(address.Value), Cancel)).StatusCode)
                );
            }
        }
        var logs = guide
            .Single(line => line.TrimStart().StartsWith("Logs ", StringComparison.Ordinal))
            .Trim()["Logs".Length..]
            .Trim();
        Assert.NotEmpty(Directory.GetFiles(logs));

        var (requests, location) = (0, "");
        foreach (
            var line in guide
                .Select(line => line.Trim())
                .Where(line => line.StartsWith("curl ", StringComparison.Ordinal))
        )
        {
            var answer = await AnswerAsync(line.Replace("LOCATION", location, StringComparison.Ordinal));
            Assert.Matches("^HTTP/1.1 20[02] ", answer);
            if (Location().Match(answer) is not { Success: true } told)
                continue;
            location = told.Groups[1].Value;
            requests += line.Contains(" -d ", StringComparison.Ordinal) ? 1 : 0;
            await RecordedAsync(http, new Uri(new Uri(Address().Match(line).Value), location), line);
        }

        Assert.True(
            requests > 0,
            "The guide has no command that requests a delivery, or the response has no Location."
        );
        return requests;
    }

    /// <summary>
    /// Polls the status URL with the headers of the line: it must return 202 until the delivery is recorded, and then
    /// 200.
    /// </summary>
    private static async Task RecordedAsync(HttpClient http, Uri location, string line)
    {
        await UntilAsync(AskAsync, status => status == HttpStatusCode.OK);

        async Task<HttpStatusCode> AskAsync()
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, location);
            foreach (Match header in Regex.Matches(line, "-H '([^:']+): ([^']+)'"))
                request.Headers.TryAddWithoutValidation(header.Groups[1].Value, header.Groups[2].Value);
            using var response = await http.SendAsync(request, Cancel);
            Assert.True(
                response.StatusCode is HttpStatusCode.OK or HttpStatusCode.Accepted,
                $"{location}: {response.StatusCode}"
            );
            return response.StatusCode;
        }
    }

    // In the folder from which up was started.
    private static async Task<string> AnswerAsync(string line)
    {
        var (exitCode, answer, error) = await TestProcess.RunAsync("sh", "-c", line);
        Assert.True(exitCode == 0, $"{line}: {error}");
        return answer;
    }

    // Excludes addresses in connection strings.
    [GeneratedRegex("(?<!=)http://[^\\s'\"]+")]
    private static partial Regex Address();

    [GeneratedRegex("^Location: (\\S+)\r?$", RegexOptions.Multiline | RegexOptions.IgnoreCase)]
    private static partial Regex Location();
}

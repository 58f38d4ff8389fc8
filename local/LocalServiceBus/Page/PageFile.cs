using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.LocalServiceBus.Page;

/// <summary>The broker's web page: one file that requests JSON from the broker. The content security policy allows only
/// the page's own script.</summary>
internal static partial class PageFile
{
    private static readonly string Html = Read();

    private static readonly string Policy =
        $"default-src 'none'; style-src '{HashOf("style")}'; script-src '{HashOf("script")}'; connect-src 'self'; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'";

    public static IResult Show(HttpResponse response)
    {
        response.Headers.ContentSecurityPolicy = Policy;
        response.Headers.XContentTypeOptions = "nosniff";
        response.Headers.CacheControl = "no-store";
        response.Headers["Referrer-Policy"] = "no-referrer";
        return TypedResults.Content(Html, "text/html; charset=utf-8");
    }

    private static string Read()
    {
        using var reader = new StreamReader(typeof(PageFile).Assembly.GetManifestResourceStream("page.html")!);
        // Browsers normalize line endings before they compute the hashes.
        return reader.ReadToEnd().ReplaceLineEndings("\n");
    }

    private static string HashOf(string element)
    {
        var content = Element()
            .Matches(Html)
            .Single(match => match.Groups["name"].Value == element)
            .Groups["content"]
            .Value;
        return $"sha256-{Convert.ToBase64String(SHA256.HashData(Encoding.UTF8.GetBytes(content)))}";
    }

    [GeneratedRegex("<(?<name>style|script)>(?<content>.*?)</\\k<name>>", RegexOptions.Singleline)]
    private static partial Regex Element();
}

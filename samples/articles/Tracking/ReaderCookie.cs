namespace DroneDelivery.Tracking;

/// <summary>The cookie that identifies a returning reader.</summary>
internal static class ReaderCookie
{
    public const string Name = "trackingId";

    /// <summary>Far below what an entity's property and a header may have.</summary>
    public const int MaxLength = 256;

    private static readonly TimeSpan Life = TimeSpan.FromDays(365);

    /// <summary>The reader's id; one who has none is given one.</summary>
    public static string Of(HttpContext context)
    {
        if (context.Request.Cookies.TryGetValue(Name, out var known) && known.Length > 0)
            return known;
        var id = Guid.NewGuid().ToString();
        context.Response.Cookies.Append(
            Name,
            id,
            new CookieOptions
            {
                HttpOnly = true,
                // A mail shows the pixel as an image of another site, for which browsers send only such cookies. The scheme of
                // this request does not matter: TLS may end at a proxy.
                SameSite = SameSiteMode.None,
                Secure = true,
                MaxAge = Life,
            }
        );
        return id;
    }

    /// <summary>A client may send anything as a cookie, and what is stored is read by others.</summary>
    public static bool IsValid(string id) => id.Length <= MaxLength && !id.Any(char.IsControl);
}

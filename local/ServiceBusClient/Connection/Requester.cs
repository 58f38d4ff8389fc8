namespace Azure.Messaging.ServiceBus;

/// <summary>In whose name something is asked of <c>$management</c>.</summary>
/// <param name="Link">Name of the link; null: there is none.</param>
/// <param name="SessionId">Of the session that the receiver has; null: it has none.</param>
internal readonly record struct Requester(string? Link, string? SessionId = null);

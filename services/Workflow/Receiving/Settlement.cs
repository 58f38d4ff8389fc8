namespace DroneDelivery.Workflow.Receiving;

/// <summary>How a message leaves its handler.</summary>
internal abstract record Settlement
{
    public sealed record Complete : Settlement;

    /// <param name="Delay">To hold the message before it goes back.</param>
    /// <param name="Cause">Kept with the message, so that it says what happened when it ends up dead-lettered.</param>
    public sealed record Abandon(TimeSpan Delay, string Cause) : Settlement;

    /// <summary>Completed, once a copy of it is scheduled. Unlike a delay before an abandon this takes no handler's place.</summary>
    /// <param name="Delay">Until the copy comes.</param>
    /// <param name="Times">How often it came too early and was put off for that, this time included.</param>
    /// <param name="Cause">Kept with the copy.</param>
    public sealed record Postpone(TimeSpan Delay, int Times, string Cause) : Settlement;

    public sealed record DeadLetter(string Reason, string Description) : Settlement
    {
        /// <summary>Characters that Service Bus takes; a longer one fails the call.</summary>
        private const int Longest = 4_096;

        public string Description { get; } = Description.Length <= Longest ? Description : Description[..Longest];
    }
}

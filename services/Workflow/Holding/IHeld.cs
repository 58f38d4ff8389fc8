namespace DroneDelivery.Workflow.Holding;

/// <summary>Something that receives messages, except while an outage is held through.</summary>
internal interface IHeld
{
    /// <summary>Returns when nothing is received any more and the running handlers have ended.</summary>
    Task PauseAsync();

    /// <summary>Does nothing if it receives so already, and once it has been stopped.</summary>
    /// <param name="oneByOne">One message at a time, with none in a buffer: what fails then costs nobody else a delivery.</param>
    /// <param name="cancellationToken">Ends the attempt.</param>
    Task ResumeAsync(bool oneByOne, CancellationToken cancellationToken);
}

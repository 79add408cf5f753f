"""One of each thing that curators and owners work on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.models import Entity, EntityAlias, Reroute
from routing.labelling import label_add
from routing.models import Anchor, Revision, Route
from routing.revisions import revision_create
from teams.groups import group_create
from teams.invitations import invitation_create
from teams.models import Group, Invitation

if TYPE_CHECKING:
    from teams.models import User, Workspace


def curated(team: Workspace, owner: User) -> dict[str, int]:
    """One of each thing that curators work on, by the name of its key."""
    first = Route.objects.filter(enabled=True).first()
    assert first is not None
    anchor = Anchor.objects.filter(workspace=team).first() or Anchor.objects.create(
        workspace=team, route=first, language="en", text="Which kiln is hot?"
    )
    revision = Revision.objects.filter(workspace=team).first() or revision_create(
        author=owner, reason="made", workspace_id=team.pk
    )
    job = Reroute.objects.filter(workspace=team).first() or Reroute.objects.create(
        workspace=team, author=owner, reason="made", state="done"
    )
    label = label_add(workspace=team, user=owner, text="How hot is it?", route=first.pk)
    group = Group.objects.filter(workspace=team).first() or group_create(
        workspace=team, user=owner, name="Kiln people"
    )
    invitation = Invitation.objects.filter(workspace=team).first()
    if invitation is None:
        invitation, _token = invitation_create(workspace=team, user=owner, role="reader", days=1)
    one, other = (
        Entity.objects.get_or_create(workspace=team, name=name, folded=name.lower())[0]
        for name in ("Alder Hill", "Alder Hil")
    )
    alias, _made = EntityAlias.objects.get_or_create(
        workspace=team, entity=other, canonical=one, defaults={"score": 0.9, "reason": "spelling"}
    )
    return {
        "group_id": group.pk,
        "invitation_id": invitation.pk,
        "name_id": alias.pk,
        "anchor_id": anchor.pk,
        "revision_id": revision.pk,
        "reroute_id": job.pk,
        "label_id": label.pk,
    }
